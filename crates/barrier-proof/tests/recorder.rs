//! The recorder and its short forms, on the null driver.

use ash::vk;
use barrier_proof::{
    Fault, ImageRef, Journal, JournalEntry, Layout, MaskBit, Masks, Pass, RecordOptions, Recorder, Resource, Stage,
    barrier, barriers, check, dependency, image_barrier, null_driver, uses,
};

const A: Resource = Resource::new("a");
const B: Resource = Resource::new("b");
const PICTURE: Resource = Resource::new("picture");

/// The journal of what `record` records with these faults.
fn journal(faults: &[Fault], record: impl FnOnce(&mut Recorder<'_>)) -> Journal {
    let entry = null_driver::entry();
    // SAFETY: the null driver needs nothing of its callers but valid pointers.
    unsafe {
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).expect("it does not fail");
        let physical = instance.enumerate_physical_devices().expect("it does not fail")[0];
        let device =
            instance.create_device(physical, &vk::DeviceCreateInfo::default(), None).expect("it does not fail");
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("it does not fail");
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&allocate).expect("it does not fail")[0];
        let mut rec = Recorder::new(&device, commands, RecordOptions { journal: true, faults });
        record(&mut rec);
        rec.finish().expect("one was asked for")
    }
}

#[test]
fn a_barrier_is_noted_with_its_masks_and_the_line_that_records_it() {
    let line = line!() + 2;
    let journal = journal(&[], |rec| {
        barrier!(rec, "a-to-b", [Raw, PreviousFrame], [A, B],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY | VERTEX_SHADER, TRANSFER_READ | SHADER_STORAGE_READ),
            relies_on ["b-to-c"], "A reason.");
        barriers!(rec,
            { "b-to-c", [War], [B], (COPY, NONE) => (CLEAR, NONE), "Another." },
            { "c-to-d", [Waw], [A], (CLEAR, TRANSFER_WRITE) => (COPY, TRANSFER_WRITE), "A third." },
        );
    });
    let [first, second, third] = &journal.dependencies().collect::<Vec<_>>()[..] else { panic!("{journal:?}") };
    assert_eq!(first.site.map(|site| (site.file(), site.line())), Some((file!(), line)));
    let masks = dependency!("", [], [], (COMPUTE_SHADER, SHADER_STORAGE_WRITE)
        => (COPY | VERTEX_SHADER, TRANSFER_READ | SHADER_STORAGE_READ), "");
    assert_eq!((first.masks, &first.guards[..], first.relies_on), (masks.masks(), &[A, B][..], &["b-to-c"][..]));
    assert_eq!((first.same_command, second.same_command, third.same_command), (false, false, true));
    assert_eq!(second.site.map(|site| site.line()), third.site.map(|site| site.line()));
}

#[test]
fn an_image_barrier_is_noted_with_its_layouts() {
    let image = ImageRef::color(vk::Image::null(), vk::ImageView::null(), PICTURE);
    let journal = journal(&[], |rec| {
        image_barrier!(rec, "copy-to-draw", [Layout, Raw], image,
            (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL)
                => (FRAGMENT_SHADER, SHADER_SAMPLED_READ, SHADER_READ_ONLY_OPTIMAL),
            "The draw samples it.");
    });
    let entry = journal.dependencies().next().expect("one was recorded");
    assert_eq!(
        (&entry.guards[..], entry.layouts),
        (&[PICTURE][..], Some((Layout::TRANSFER_DST_OPTIMAL, Layout::SHADER_READ_ONLY_OPTIMAL)))
    );
}

#[test]
fn faults_are_recorded_where_they_belong() {
    let planted = dependency!("planted", [], [], (COPY, NONE) => (COPY, NONE), "");
    let faults = [
        Fault::Omit("a-to-b".into()),
        Fault::Weaken("b-to-c".into(), MaskBit::DestinationStage(Stage::COPY)),
        Fault::Plant { before: "read".into(), dependency: planted },
    ];
    let journal = journal(&faults, |rec| {
        rec.pass(&Pass { name: "write", stage: Stage::COMPUTE_SHADER, uses: &uses![write A] }, |_| {});
        barrier!(rec, "a-to-b", [Raw], [A], (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY, TRANSFER_READ), "");
        barrier!(rec, "b-to-c", [Raw], [A],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COPY | CLEAR, TRANSFER_READ), "");
        rec.pass(&Pass { name: "read", stage: Stage::COPY, uses: &uses![copy_from A] }, |_| {});
        rec.host_reads(B);
    });
    let [
        JournalEntry::Pass(_),
        JournalEntry::Dependency(left_out),
        JournalEntry::Dependency(weak),
        JournalEntry::Dependency(new),
        rest @ ..,
    ] = &journal.entries[..]
    else {
        panic!("{journal:#?}")
    };
    assert!(left_out.omitted && !weak.omitted && new.name == "planted" && rest.len() == 2);
    assert_eq!((weak.masks.dst_stage, weak.masks.dst_access.is_empty()), (Stage::CLEAR, true));
    assert_eq!(rest[1], JournalEntry::HostRead { buffer: B });
    assert_ne!(weak.masks, Masks::default());
}

/// The passes of the README.
#[test]
fn a_hazard_across_two_frames_is_found() {
    let journal = journal(&[], |rec| {
        rec.pass(&Pass { name: "count", stage: Stage::COMPUTE_SHADER, uses: &uses![read_write A] }, |_| {});
        barrier!(rec, "count-to-reduce", [Raw], [A],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ), "");
        rec.pass(&Pass { name: "reduce", stage: Stage::COMPUTE_SHADER, uses: &uses![read A, write B] }, |_| {});
    });
    assert!(check(std::slice::from_ref(&journal)).is_empty());
    let said: Vec<String> = check(&[journal.clone(), journal]).iter().map(ToString::to_string).collect();
    assert!(said.contains(&"WAR on a: reduce of the previous frame → count".to_owned()), "{said:#?}");
    println!("{said:#?}");
}
