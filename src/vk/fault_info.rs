//! What a driver reports of why its device was lost, by `VK_EXT_device_fault`.

use super::device::Device;
use ash::vk;
use std::ffi::CStr;
use std::fmt::Write;

/// Reports of each kind in the line, which is for people.
const MOST: usize = 3;

/// Whether the driver of `raw` can report why a device was lost.
pub(super) fn can_report(instance: &ash::Instance, raw: vk::PhysicalDevice) -> bool {
    let mut fault = vk::PhysicalDeviceFaultFeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut fault);
    // SAFETY: `raw` comes from this instance; the structures live until the call returns.
    unsafe { instance.get_physical_device_features2(raw, &mut features) };
    fault.device_fault == vk::TRUE
}

impl Device {
    /// What the driver reports of the fault, with a leading `; `; empty if that is nothing. Only for a device that was
    /// lost.
    pub(super) fn fault_info(&self) -> String {
        let Some(reports) = &self.fault_reports else { return String::new() };
        let device = self.raw.handle();
        let mut counts = vk::DeviceFaultCountsEXT::default();
        // SAFETY: the device was opened with this extension, and was lost. Without a second structure only the counts
        // are written.
        let counted = unsafe { (reports.fp().get_device_fault_info_ext)(device, &mut counts, std::ptr::null_mut()) };
        if counted != vk::Result::SUCCESS {
            return String::new();
        }
        let mut addresses = vec![vk::DeviceFaultAddressInfoEXT::default(); counts.address_info_count as usize];
        let mut vendor = vec![vk::DeviceFaultVendorInfoEXT::default(); counts.vendor_info_count as usize];
        counts.vendor_binary_size = 0;
        let mut info = vk::DeviceFaultInfoEXT {
            p_address_infos: addresses.as_mut_ptr(),
            p_vendor_infos: vendor.as_mut_ptr(),
            ..Default::default()
        };
        // SAFETY: as above; both lists have the room that the counts say, and binary data has none and is not written.
        let reported = unsafe { (reports.fp().get_device_fault_info_ext)(device, &mut counts, &mut info) };
        if ![vk::Result::SUCCESS, vk::Result::INCOMPLETE].contains(&reported) {
            return String::new();
        }
        addresses.truncate(counts.address_info_count as usize);
        vendor.truncate(counts.vendor_info_count as usize);
        line(&info, &addresses, &vendor)
    }
}

/// The report as a part of one line.
fn line(
    info: &vk::DeviceFaultInfoEXT<'_>,
    addresses: &[vk::DeviceFaultAddressInfoEXT],
    vendor: &[vk::DeviceFaultVendorInfoEXT],
) -> String {
    let mut parts = Vec::new();
    parts.extend(text(info.description_as_c_str().ok()));
    for info in addresses.iter().take(MOST) {
        use vk::DeviceFaultAddressTypeEXT as Kind;
        let what = match info.address_type {
            Kind::READ_INVALID => "an invalid read at",
            Kind::WRITE_INVALID => "an invalid write at",
            Kind::EXECUTE_INVALID => "an invalid jump to",
            Kind::INSTRUCTION_POINTER_UNKNOWN | Kind::INSTRUCTION_POINTER_INVALID | Kind::INSTRUCTION_POINTER_FAULT => {
                "an instruction at"
            }
            _ => continue,
        };
        // The specification's formula for the addresses that are possible.
        let first = info.reported_address & !info.address_precision.wrapping_sub(1);
        let mut part = format!("{what} {first:#x}");
        if info.address_precision > 1 {
            let _ = write!(part, " or up to {} bytes after", info.address_precision - 1);
        }
        parts.push(part);
    }
    for info in vendor.iter().take(MOST) {
        let what = text(info.description_as_c_str().ok()).unwrap_or_else(|| "a fault".into());
        parts.push(format!("{what} ({:#x}, {:#x})", info.vendor_fault_code, info.vendor_fault_data));
    }
    if parts.is_empty() { String::new() } else { format!("; the driver reports {}", parts.join(", ")) }
}

/// A driver's words in one line; none if there are none.
fn text(words: Option<&CStr>) -> Option<String> {
    let words = words?.to_string_lossy().replace(char::is_control, " ");
    let words = words.trim();
    (!words.is_empty()).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_part_of_a_line() {
        let nothing = vk::DeviceFaultInfoEXT::default();
        assert_eq!(line(&nothing, &[], &[]), "");
        let info = nothing.description(c"two\nlines ").expect("it is short");
        let address = |kind, at, precision| vk::DeviceFaultAddressInfoEXT {
            address_type: kind,
            reported_address: at,
            address_precision: precision,
        };
        use vk::DeviceFaultAddressTypeEXT as Kind;
        let addresses = [
            address(Kind::NONE, 1, 1),
            address(Kind::READ_INVALID, 0x1234, 0x1000),
            address(Kind::INSTRUCTION_POINTER_FAULT, 0x77, 1),
            address(Kind::WRITE_INVALID, 5, 1),
        ];
        let vendor = vk::DeviceFaultVendorInfoEXT { vendor_fault_code: 7, vendor_fault_data: 16, ..Default::default() };
        assert_eq!(
            line(&info, &addresses, &[vendor.description(c"MMU").expect("it is short")]),
            "; the driver reports two lines, an invalid read at 0x1000 or up to 4095 bytes after, an instruction at \
             0x77, MMU (0x7, 0x10)"
        );
        assert_eq!(line(&nothing, &[], &[vendor]), "; the driver reports a fault (0x7, 0x10)");
    }
}
