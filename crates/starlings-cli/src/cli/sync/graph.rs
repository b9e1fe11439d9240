//! The frame as a graph: passes in recording order, with arrows for each dependency.

use super::frame::Frame;
use crate::sync::Arrow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

struct Edge {
    from: &'static str,
    to: &'static str,
    /// The dependency, its hazards, and what it relies on.
    label: String,
    /// Whether it comes from the frame or the step before.
    from_before: bool,
}

/// As a flowchart in Mermaid's language. Dashed arrows come from the frame or the step before.
pub fn mermaid(frame: &Frame) -> String {
    let mut text = format!("---\ntitle: {}\n---\nflowchart TD\n", frame.title());
    for node in frame.nodes() {
        let _ = writeln!(text, "    {}[\"{node}\"]", id(node));
    }
    for Edge { from, to, label, from_before } in edges(frame) {
        let arrow = if from_before { "-.->" } else { "-->" };
        let _ = writeln!(text, "    {} {arrow}|\"{label}\"| {}", id(from), id(to));
    }
    text.trim_end().to_owned()
}

/// As a graph in the language of Graphviz. Dashed arrows come from the frame or the step before.
pub fn dot(frame: &Frame) -> String {
    let nodes = frame.nodes();
    let mut text = String::from("digraph frame {\n");
    let _ = writeln!(text, "    label=\"{}\"; labelloc=t; fontname=\"sans-serif\";", frame.title());
    text.push_str("    node [shape=box, fontname=\"monospace\"];\n    edge [fontname=\"sans-serif\", fontsize=10];\n");
    for node in &nodes {
        let _ = writeln!(text, "    \"{node}\";");
    }
    // Invisible arrows keep the passes in their order.
    for pair in nodes.windows(2) {
        let _ = writeln!(text, "    \"{}\" -> \"{}\" [style=invis, weight=10];", pair[0], pair[1]);
    }
    for Edge { from, to, label, from_before } in edges(frame) {
        let style = if from_before { ", style=dashed, constraint=false" } else { "" };
        let _ = writeln!(text, "    \"{from}\" -> \"{to}\" [label=\"{label}\"{style}];");
    }
    text.push('}');
    text
}

/// Arrows from producers to consumers. A dependency that is recorded several times counts once.
fn edges(frame: &Frame) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut known = BTreeSet::new();
    for dependency in frame.journal.dependencies().filter(|dependency| known.insert(dependency.name)) {
        let name = dependency.name;
        let leans = match frame.relies_on(dependency).join(", ") {
            none if none.is_empty() => none,
            others => format!(", with {others}"),
        };
        edges.extend(frame.arrows(name).into_iter().map(|Arrow { from_before, from, to, hazards }| {
            let hazards: Vec<String> = hazards.iter().map(ToString::to_string).collect();
            Edge { from, to, label: format!("{name}: {}{leans}", hazards.join(", ")), from_before }
        }));
    }
    edges
}

/// Mermaid reserves some words, such as `end`.
fn id(node: &str) -> String {
    format!("n_{node}")
}
