//! What a video remembers of the flock in it: a config file with a flight, at the end of an MP4 or a GIF, where
//! programs that show it do not look. A program that makes another file of it drops that.

use super::file::{opened, words};
use super::picture::MOST_LETTERS;
use super::video::VideoFormat;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The type of the last box of an MP4, and the name that it has.
const BOX: &[u8; 20] = b"uuidstarlings flight";

/// The application extension of a GIF, before the block that ends the file.
const EXTENSION: &[u8; 14] = b"\x21\xff\x0bstarlings01";

/// Bytes of a block in a GIF at most.
const BLOCK: usize = 255;

/// Adds `text` at the end of a complete video. Formats without a place for it stay as they are, and so does one that
/// does not end as it should.
pub(super) fn append(file: &mut File, format: VideoFormat, text: &str) -> io::Result<()> {
    match format {
        _ if text.len() > MOST_LETTERS => Ok(()),
        VideoFormat::Mp4 => {
            file.seek(SeekFrom::End(0))?;
            let length = (4 + BOX.len() + text.len()) as u32;
            file.write_all(&[&length.to_be_bytes()[..], BOX, text.as_bytes()].concat())
        }
        VideoFormat::Gif => {
            let mut end = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut end)?;
            if &end != END {
                return Ok(());
            }
            file.seek(SeekFrom::End(-1))?;
            let blocks = text.as_bytes().chunks(BLOCK).flat_map(|block| [&[block.len() as u8][..], block].concat());
            let blocks: Vec<u8> = EXTENSION.iter().copied().chain(blocks).chain([0]).chain(*END).collect();
            file.write_all(&blocks)
        }
        VideoFormat::Y4m | VideoFormat::Webm => Ok(()),
    }
}

/// The block that ends a GIF.
const END: &[u8; 1] = b";";

/// Reads what the MP4 or GIF at `path` remembers: the text of a config file with a flight. At most its last 17 MiB are
/// read.
pub fn video_memory(path: &Path) -> Result<String, String> {
    let mut file = opened(path)?;
    let length = file.metadata().map_err(words)?.len();
    let most = (MOST_LETTERS + MOST_LETTERS / BLOCK) as u64 + 64;
    file.seek(SeekFrom::Start(length.saturating_sub(most))).map_err(words)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).map_err(words)?;
    let text = of_box(&bytes).or_else(|| of_extension(&bytes));
    let text = text.ok_or("this is no video that holds the flight of a flock")?;
    String::from_utf8(text).map_err(|_| "this video is damaged: its flight is no text".into())
}

/// Where `part` is in `bytes` for the last time.
fn last(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).rposition(|window| window == part)
}

/// The content of the last box, if that is ours and ends where the file does.
fn of_box(bytes: &[u8]) -> Option<Vec<u8>> {
    let at = last(bytes, BOX)?.checked_sub(4)?;
    let length = u32::from_be_bytes(bytes[at..at + 4].try_into().ok()?) as usize;
    (length == bytes.len() - at).then(|| bytes[at + 4 + BOX.len()..].to_vec())
}

/// The content of our extension, if the file ends behind it.
fn of_extension(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = &bytes[last(bytes, EXTENSION)? + EXTENSION.len()..];
    let mut text = Vec::new();
    loop {
        let (&length, after) = rest.split_first()?;
        if length == 0 {
            return (after == END).then_some(text);
        }
        let (block, after) = after.split_at_checked(length.into())?;
        text.extend_from_slice(block);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn with(format: VideoFormat, video: &[u8], text: &str) -> (tempfile::NamedTempFile, Vec<u8>) {
        let mut file = tempfile::NamedTempFile::new().expect("room");
        file.write_all(video).expect("room");
        append(file.as_file_mut(), format, text).expect("room");
        let bytes = fs::read(file.path()).expect("our own file");
        (file, bytes)
    }

    #[test]
    fn what_a_video_is_given_is_read_again() {
        let long = "é\tb = 1\n".repeat(10_000);
        for text in ["", "a", &"x".repeat(BLOCK), &"x".repeat(BLOCK + 1), &long] {
            for (format, video) in [(VideoFormat::Mp4, &b"moov"[..]), (VideoFormat::Gif, b"GIF89a;")] {
                let (file, bytes) = with(format, video, text);
                assert!(bytes.starts_with(&video[..video.len() - 1]));
                assert_eq!(video_memory(file.path()).as_deref(), Ok(text), "{format:?}");
            }
        }
        // A box has its length in front, and a GIF ends as it did.
        let (_, bytes) = with(VideoFormat::Mp4, b"", "ab");
        assert_eq!(bytes, b"\0\0\0\x1auuidstarlings flightab");
        let (_, bytes) = with(VideoFormat::Gif, b"GIF89a;", "ab");
        assert_eq!(bytes, b"GIF89a\x21\xff\x0bstarlings01\x02ab\0;");
    }

    #[test]
    fn a_video_without_a_flight_or_cut_off_is_none() {
        let (file, bytes) = with(VideoFormat::Gif, b"GIF89a;", "abc");
        for cut in 1..bytes.len() {
            fs::write(file.path(), &bytes[..cut]).expect("room");
            video_memory(file.path()).expect_err("cut off");
        }
        let (file, bytes) = with(VideoFormat::Mp4, b"moov", "abc");
        for cut in 1..bytes.len() {
            fs::write(file.path(), &bytes[..cut]).expect("room");
            video_memory(file.path()).expect_err("cut off");
        }
        for format in [VideoFormat::Y4m, VideoFormat::Webm] {
            assert_eq!(with(format, b"frames", "abc").1, b"frames");
        }
        assert_eq!(with(VideoFormat::Gif, b"GIF89a", "abc").1, b"GIF89a", "it does not end as a GIF does");
    }
}
