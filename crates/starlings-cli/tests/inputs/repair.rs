//! Checksums and lengths of a changed file, computed again: otherwise a parser would refuse nearly every change at
//! once.

/// Repairs `bytes` if files of `format` have checksums or lengths.
pub fn repair(format: &str, bytes: &mut [u8]) {
    match format {
        "picture" => repair_png(bytes),
        "model" => repair_glb(bytes),
        "baked" | "checkpoint" | "npz" | "archive" => repair_zip(bytes),
        _ => {}
    }
}

/// Gives every chunk of a PNG the checksum of its bytes.
fn repair_png(png: &mut [u8]) {
    let mut at = 8;
    while let Some(head) = png.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let end = at.saturating_add(8).saturating_add(length);
        let Some(bytes) = png.get(at + 4..end) else { return };
        let sum = crc(bytes).to_be_bytes();
        let Some(place) = png.get_mut(end..end + 4) else { return };
        place.copy_from_slice(&sum);
        at = end + 4;
    }
}

/// Gives a binary glTF file the lengths of what it has.
fn repair_glb(glb: &mut [u8]) {
    let whole = glb.len() as u32;
    let length = glb.get(12..16).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    // The JSON ends where the next chunk begins, if that is still there.
    let next = glb.windows(4).position(|name| name == b"BIN\0").unwrap_or(24 + length as usize);
    for (at, length) in [
        (8, whole),
        (12, next.saturating_sub(24) as u32),
        (next.saturating_sub(4), whole.saturating_sub(next as u32 + 4)),
    ] {
        if let Some(place) = glb.get_mut(at..at + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }
}

/// Gives every entry of a zip file the checksum of its bytes, in its own header and in the list at the end.
fn repair_zip(zip: &mut [u8]) {
    let number = |zip: &[u8], at: usize, count: usize| {
        zip.get(at..at + count).map(|bytes| bytes.iter().rev().fold(0usize, |sum, &byte| sum << 8 | usize::from(byte)))
    };
    let headers: Vec<usize> =
        (0..zip.len().saturating_sub(46)).filter(|&at| zip[at..].starts_with(b"PK\x01\x02")).collect();
    for header in headers {
        let repair = |zip: &mut [u8]| {
            let (size, own) = (number(zip, header + 20, 4)?, number(zip, header + 42, 4)?);
            let begin = own + 30 + number(zip, own + 26, 2)? + number(zip, own + 28, 2)?;
            let sum = crc(zip.get(begin..begin.checked_add(size)?)?).to_le_bytes();
            zip.get_mut(header + 16..header + 20)?.copy_from_slice(&sum);
            zip.get_mut(own + 14..own + 18)?.copy_from_slice(&sum);
            Some(())
        };
        let _ = repair(zip);
    }
}

/// CRC-32 of PNG and zip.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}
