//! `starlings devices`: lists the Vulkan devices.

use super::numbers::bytes;
use super::output::print;
use crate::Result;
use clap::Args;
use starlings::vk::{DeviceInfo, Instance, InstanceOptions};

/// Options of `starlings devices`.
#[derive(Args, Debug)]
#[command(after_help = "`--gpu` of the other commands takes an index, a UUID or a part of a name. Exit status 3 \
means that no device is suitable.")]
pub struct DevicesArgs {
    /// Print JSON, one object for each device
    #[arg(long)]
    json: bool,
}

pub fn run(args: &DevicesArgs) -> Result<()> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let (devices, instead) = (instance.devices()?, instance.instead());
    if args.json {
        let list: Vec<_> = devices.iter().map(|device| object(device, instead)).collect();
        print(&serde_json::Value::from(list).to_string())?;
    } else if !devices.is_empty() {
        let why = instead.map(|why| format!("the driver of this package, because: {why}"));
        print(&devices.iter().map(text).chain(why).collect::<Vec<_>>().join("\n\n"))?;
    }
    if devices.iter().any(|device| device.missing.is_empty()) {
        return Ok(());
    }
    let reason =
        if devices.is_empty() { "no Vulkan device on this machine" } else { "no device has all that is required" };
    Err(starlings::Error::NoDevice(reason.into()).into())
}

fn text(device: &DeviceInfo) -> String {
    let lacks = if device.missing.is_empty() { "nothing".to_owned() } else { device.missing.join(", ") };
    let memory = bytes(device.memory);
    let longest = match device.device_addresses {
        true => format!("{} by address, which quantized-grid and sorted-grid use", bytes(device.reach(true))),
        false => "no access by address".to_owned(),
    };
    format!(
        "{}  {}\n   kind      {}, Vulkan {}, subgroups of {}\n   driver    {}\n   memory    {memory}\n   buffers   {} \
            by descriptor, {longest}\n   UUID      {}\n   lacks     {lacks}",
        device.index,
        device.name,
        device.kind_name(),
        device.api_version,
        device.subgroup_size,
        device.driver,
        bytes(device.reach(false)),
        device.uuid,
    )
}

pub fn object(device: &DeviceInfo, instead: Option<&str>) -> serde_json::Value {
    serde_json::json!({
        "index": device.index,
        "name": device.name,
        "uuid": device.uuid,
        "kind": device.kind_name(),
        "driver": device.driver,
        "vulkan": device.api_version,
        "subgroup_size": device.subgroup_size,
        "memory_bytes": device.memory,
        "max_storage_range_bytes": device.max_storage_range,
        "max_buffer_bytes": device.max_buffer,
        "reach_by_descriptor_bytes": device.reach(false),
        "reach_by_address_bytes": device.device_addresses.then(|| device.reach(true)),
        "device_addresses": device.device_addresses,
        "lacks": device.missing,
        "packaged_because": instead,
    })
}
