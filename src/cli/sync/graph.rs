//! The frame as a graph: passes in the order they are recorded, and every dependency between the two it orders.

use super::frame::{Arrow, Frame};
use starlings::vk::DependencyEntry;
use std::fmt::Write as _;

/// An arrow from one node to another.
struct Edge {
    from: &'static str,
    to: &'static str,
    /// The dependency, its hazards, and what it leans on.
    label: String,
    /// Whether it comes from the frame or the step before.
    from_before: bool,
}

struct Graph {
    title: String,
    /// What happens in the frame, in order.
    nodes: Vec<&'static str>,
    edges: Vec<Edge>,
}

/// As a flowchart in Mermaid's language. Dashed arrows come from the frame or the step before.
pub fn mermaid(frame: &Frame) -> String {
    let graph = Graph::of(frame);
    let mut text = format!("---\ntitle: {}\n---\nflowchart TD\n", graph.title);
    for node in &graph.nodes {
        let _ = writeln!(text, "    {}[\"{node}\"]", id(node));
    }
    for Edge { from, to, label, from_before } in &graph.edges {
        let arrow = if *from_before { "-.->" } else { "-->" };
        let _ = writeln!(text, "    {} {arrow}|\"{label}\"| {}", id(from), id(to));
    }
    text.trim_end().to_owned()
}

/// As a graph in the language of Graphviz. Dashed arrows come from the frame or the step before.
pub fn dot(frame: &Frame) -> String {
    let graph = Graph::of(frame);
    let mut text = String::from("digraph frame {\n");
    let _ = writeln!(text, "    label=\"{}\"; labelloc=t; fontname=\"sans-serif\";", graph.title);
    text.push_str("    node [shape=box, fontname=\"monospace\"];\n    edge [fontname=\"sans-serif\", fontsize=10];\n");
    for node in &graph.nodes {
        let _ = writeln!(text, "    \"{node}\";");
    }
    // Invisible arrows keep the passes in their order.
    for pair in graph.nodes.windows(2) {
        let _ = writeln!(text, "    \"{}\" -> \"{}\" [style=invis, weight=10];", pair[0], pair[1]);
    }
    for Edge { from, to, label, from_before } in &graph.edges {
        let style = if *from_before { ", style=dashed, constraint=false" } else { "" };
        let _ = writeln!(text, "    \"{from}\" -> \"{to}\" [label=\"{label}\"{style}];");
    }
    text.push('}');
    text
}

impl Graph {
    fn of(frame: &Frame) -> Graph {
        let mut named: Vec<&DependencyEntry> = Vec::new();
        for dependency in frame.journal.dependencies() {
            if !named.iter().any(|known| known.name == dependency.name) {
                named.push(dependency);
            }
        }
        let edges = named.into_iter().flat_map(|dependency| {
            let name = dependency.name;
            let leans = match frame.relies_on(dependency).join(", ") {
                none if none.is_empty() => none,
                others => format!(", with {others}"),
            };
            frame.arrows(name).into_iter().map(move |Arrow { from_before, from, to, hazards }| {
                let hazards: Vec<String> = hazards.iter().map(ToString::to_string).collect();
                Edge { from, to, label: format!("{name}: {}{leans}", hazards.join(", ")), from_before }
            })
        });
        Graph { title: frame.title(), nodes: frame.nodes(), edges: edges.collect() }
    }
}

/// Mermaid takes some words, such as `end`, for its own.
fn id(node: &str) -> String {
    format!("n_{node}")
}
