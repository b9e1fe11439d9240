//! Videos: YUV4MPEG2 of our own, and what the program `ffmpeg` makes of raw frames.

use super::ffmpeg::Ffmpeg;
use super::file::{Existing, OutputFile, STANDARD_OUTPUT, output};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The format of a video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoFormat {
    /// YUV4MPEG2, uncompressed: 8 bits for each of Y', Cb and Cr of a pixel (4:4:4), ITU-R BT.709 with its limited
    /// range.
    Y4m,
    /// H.264 in MP4, by `ffmpeg`.
    Mp4,
    /// VP9 in WebM, by `ffmpeg`.
    Webm,
    /// GIF of at most 50 frames a second, by `ffmpeg`.
    Gif,
}

impl VideoFormat {
    /// The format that the end of a file's name says.
    pub fn named(extension: &str) -> Option<VideoFormat> {
        Some(match &*extension.to_ascii_lowercase() {
            "y4m" => VideoFormat::Y4m,
            "mp4" => VideoFormat::Mp4,
            "webm" => VideoFormat::Webm,
            "gif" => VideoFormat::Gif,
            _ => return None,
        })
    }

    /// Whether its colors have half the resolution, so that width and height must be even.
    fn halves_colors(self) -> bool {
        matches!(self, VideoFormat::Mp4 | VideoFormat::Webm)
    }

    /// What `ffmpeg` is told about the result.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            VideoFormat::Y4m => &[],
            VideoFormat::Mp4 => {
                &["-vf", BT_709, "-c:v", "libx264", "-crf", "18", "-movflags", "+faststart", "-f", "mp4"]
            }
            VideoFormat::Webm => {
                &["-vf", BT_709, "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-f", "webm"]
            }
            VideoFormat::Gif => &["-vf", PALETTE, "-f", "gif"],
        }
    }
}

/// The colors of high-definition video, and the tags that say so.
const BT_709: &str = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p,\
                      setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=iec61966-2-1";

/// Delays of a GIF are whole hundredths of a second, and programs slow those below two down. Each frame has its own
/// palette: one for all would have to wait, with all frames in memory, for the last.
const PALETTE: &str =
    "fps='min(source_fps,50)',split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=bayer";

/// A video being written, frame by frame. Dropping it unfinished leaves no file and ends `ffmpeg`.
pub struct VideoFile {
    frames: Frames,
    pixels: usize,
}

/// Where frames go.
enum Frames {
    Y4m(Y4m),
    Ffmpeg(Box<Ffmpeg>),
}

/// A video of our own.
struct Y4m {
    /// None for standard output.
    out: Option<OutputFile>,
    file: BufWriter<Box<dyn Write>>,
    /// Until there is a frame to follow it.
    header: Option<String>,
}

impl VideoFile {
    /// Begins a video named `path`, of frames of `size` in pixels, each shown for so many seconds; where there is no
    /// `ffmpeg`, as [`VideoFormat::Y4m`] and under the name that ends so. Returns that name, too.
    ///
    /// # Errors
    /// [`starlings::Error::Setting`] for `size` if the format has no such pictures; or [`Error::Output`].
    pub fn open(
        path: &Path,
        existing: Existing,
        format: VideoFormat,
        size: (u32, u32),
        seconds: f32,
    ) -> Result<(Self, PathBuf)> {
        if let Some(video) = Self::begin(OutputFile::create(path, existing)?, format, size, seconds)? {
            return Ok((video, path.to_owned()));
        }
        let path = path.with_extension("y4m");
        let video = Self::begin(OutputFile::create(&path, existing)?, VideoFormat::Y4m, size, seconds)?;
        Ok((video.expect("it needs no other program"), path))
    }

    /// Begins a video on standard output, as [`VideoFormat::Y4m`]: each frame can be read when it is drawn.
    pub fn standard_output(size: (u32, u32), seconds: f32) -> Self {
        let file = BufWriter::new(Box::new(io::stdout()) as Box<dyn Write>);
        let frames = Frames::Y4m(Y4m { out: None, file, header: Some(y4m_header(size, seconds)) });
        VideoFile { frames, pixels: size.0 as usize * size.1 as usize }
    }

    /// None if there is no `ffmpeg`, which the format needs.
    fn begin(
        mut out: OutputFile,
        format: VideoFormat,
        (width, height): (u32, u32),
        seconds: f32,
    ) -> Result<Option<Self>> {
        if format.halves_colors() && (width % 2 == 1 || height % 2 == 1) {
            let accepted = "an even width and an even height: colors have half the resolution; .y4m takes any";
            return Err(Error::flag("size", format!("{width}x{height}"), accepted));
        }
        let pixels = width as usize * height as usize;
        let frames = if format == VideoFormat::Y4m {
            let file = out.file().try_clone().map_err(|error| output(out.path(), error))?;
            let file = BufWriter::new(Box::new(file) as Box<dyn Write>);
            Frames::Y4m(Y4m { out: Some(out), file, header: Some(y4m_header((width, height), seconds)) })
        } else {
            let [frames, per_seconds] = rate(seconds);
            let (size, rate) = (format!("{width}x{height}"), format!("{frames}/{per_seconds}"));
            let input = ["-f", "rawvideo", "-pixel_format", "rgb0", "-video_size", &size, "-framerate", &rate];
            let words = input.iter().chain(&["-i", "pipe:0", "-an"]).chain(format.arguments());
            let words: Vec<String> = words.map(|word| (*word).to_owned()).collect();
            match Ffmpeg::start(out, format, &words, 4 * pixels)? {
                Some(ffmpeg) => Frames::Ffmpeg(Box::new(ffmpeg)),
                None => return Ok(None),
            }
        };
        Ok(Some(VideoFile { frames, pixels }))
    }

    /// Whether [`VideoFile::push`] waits for nothing but the disk.
    pub fn has_room(&mut self) -> bool {
        match &mut self.frames {
            Frames::Y4m(_) => true,
            Frames::Ffmpeg(ffmpeg) => ffmpeg.has_room(),
        }
    }

    /// Adds a frame: four sRGB bytes a pixel, rows from the top.
    ///
    /// # Errors
    /// [`Error::Output`] when the disk is full, `ffmpeg` or the reader of standard output has ended, or `ffmpeg` takes
    /// nothing for half a minute; [`Error::Interrupted`] while it is waited for.
    ///
    /// # Panics
    /// When `rgba` does not have four bytes for each pixel.
    pub fn push(&mut self, rgba: &[u8]) -> Result<()> {
        assert_eq!(rgba.len(), 4 * self.pixels, "a frame of the size of the video");
        match &mut self.frames {
            Frames::Y4m(y4m) => y4m.push(rgba),
            Frames::Ffmpeg(ffmpeg) => ffmpeg.push(rgba.to_vec()),
        }
    }

    /// Lets an MP4 or a GIF remember `text`, which [`video_memory`](super::video_memory) reads again. To be called
    /// before its end.
    pub fn remember(&mut self, text: String) {
        if let Frames::Ffmpeg(ffmpeg) = &mut self.frames {
            ffmpeg.remember(text);
        }
    }

    /// Says that there are no more frames; [`VideoFile::finished`] then has the video, some time later.
    pub fn end(&mut self) {
        if let Frames::Ffmpeg(ffmpeg) = &mut self.frames {
            ffmpeg.end();
        }
    }

    /// Gives the video its name, once it is complete, and returns that. None while `ffmpeg` is not done.
    pub fn finished(&mut self) -> Option<Result<PathBuf>> {
        match &mut self.frames {
            Frames::Y4m(y4m) => Some(y4m.finish()),
            Frames::Ffmpeg(ffmpeg) => ffmpeg.finished(),
        }
    }

    /// Completes the video and gives it its name. Gives an `ffmpeg` up sooner if somebody is `waiting` for the end of
    /// the program.
    pub fn finish(self, waiting: bool) -> Result<PathBuf> {
        match self.frames {
            Frames::Y4m(mut y4m) => y4m.finish(),
            Frames::Ffmpeg(ffmpeg) => ffmpeg.finish(waiting),
        }
    }
}

impl Y4m {
    fn push(&mut self, rgba: &[u8]) -> Result<()> {
        let header = self.header.take().unwrap_or_default();
        let file = &mut self.file;
        let written =
            file.write_all(header.as_bytes()).and_then(|()| write_y4m(file, rgba)).and_then(|()| file.flush());
        written.map_err(|error| match &self.out {
            None if error.kind() == io::ErrorKind::BrokenPipe => {
                output(Path::new(STANDARD_OUTPUT), "the program that reads it has ended")
            }
            out => output(out.as_ref().map_or(Path::new(STANDARD_OUTPUT), OutputFile::path), error),
        })
    }

    fn finish(&mut self) -> Result<PathBuf> {
        self.out.take().map_or_else(|| Ok(STANDARD_OUTPUT.into()), |out| Ok(out.commit()?.path))
    }
}

/// Frames, and the seconds in which they are shown, for frames of `seconds` each. 1/60 s gives 60 in 1.
fn rate(seconds: f32) -> [u32; 2] {
    let whole = (1.0 / seconds).round();
    match (1.0..1e6).contains(&whole) && 1.0 / whole == seconds {
        true => [whole as u32, 1],
        // From a microsecond to a second.
        false => [1_000_000, (f64::from(seconds) * 1e6).round().max(1.0) as u32],
    }
}

fn y4m_header((width, height): (u32, u32), seconds: f32) -> String {
    let [frames, per_seconds] = rate(seconds);
    format!("YUV4MPEG2 W{width} H{height} F{frames}:{per_seconds} Ip A1:1 C444 XCOLORRANGE=LIMITED\n")
}

/// One frame: the planes Y', Cb and Cr of ITU-R BT.709, from sRGB bytes as they are, in the limited range.
fn write_y4m(file: &mut impl Write, rgba: &[u8]) -> io::Result<()> {
    file.write_all(b"FRAME\n")?;
    let (red, blue) = (0.2126, 0.0722);
    let luma = |p: &[u8]| red * f32::from(p[0]) + (1.0 - red - blue) * f32::from(p[1]) + blue * f32::from(p[2]);
    let difference = |p: &[u8], channel: usize, weight: f32| {
        128.0 + 224.0 / 255.0 * (f32::from(p[channel]) - luma(p)) / (2.0 * (1.0 - weight))
    };
    let mut plane = |value: &(dyn Fn(&[u8]) -> f32 + Sync)| {
        let bytes: Vec<u8> = rgba.par_chunks_exact(4).map(|pixel| value(pixel).round() as u8).collect();
        file.write_all(&bytes)
    };
    plane(&|p| 16.0 + 219.0 / 255.0 * luma(p))?;
    plane(&|p| difference(p, 2, blue))?;
    plane(&|p| difference(p, 0, red))
}

#[cfg(test)]
mod tests {
    use super::super::Existing;
    use super::*;

    #[test]
    fn a_y4m_has_the_colors_of_bt_709() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.y4m");
        let out = OutputFile::create(&path, Existing::Keep).expect("room");
        let mut video = VideoFile::begin(out, VideoFormat::Y4m, (3, 2), 1.0 / 60.0).expect("room").expect("no program");
        // White, black and gray; red, green and blue.
        let rgb = [[255; 3], [0; 3], [128; 3], [255, 0, 0], [0, 255, 0], [0, 0, 255]];
        let frame: Vec<u8> = rgb.iter().flat_map(|[r, g, b]| [*r, *g, *b, 0]).collect();
        video.push(&frame).expect("room");
        video.push(&frame).expect("room");
        assert!(!path.exists());
        video.finish(false).expect("a name");
        let mut wanted = b"YUV4MPEG2 W3 H2 F60:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n".to_vec();
        for _ in 0..2 {
            wanted.extend(b"FRAME\n");
            wanted.extend([235, 16, 126, 63, 173, 32]);
            wanted.extend([128, 128, 128, 102, 42, 240]);
            wanted.extend([128, 128, 128, 240, 26, 118]);
        }
        assert_eq!(std::fs::read(path).expect("a file"), wanted);
    }

    #[test]
    fn rates_are_whole_where_they_can_be() {
        assert_eq!(
            [1.0 / 60.0, 1.0 / 144.0, 0.04, 1.0, 0.017, 1e-6].map(rate),
            [[60, 1], [144, 1], [25, 1], [1, 1], [1_000_000, 17_000], [1_000_000, 1],]
        );
    }

    #[test]
    fn odd_sizes_are_refused_where_colors_are_halved() {
        let folder = tempfile::tempdir().expect("a folder");
        for format in [VideoFormat::Mp4, VideoFormat::Webm] {
            let out = OutputFile::create(&folder.path().join("a"), Existing::Keep).expect("room");
            let error = VideoFile::begin(out, format, (64, 35), 0.1).err().expect("odd").to_string();
            assert!(error.starts_with("size is 64x35; accepted is an even width and an even height"), "{error}");
        }
    }
}
