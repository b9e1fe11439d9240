//! What a part of the program takes of the CPU.

use std::time::Duration;

/// CPU time of this thread so far: waiting for a core does not count. Other systems than Linux tell the time that has passed.
pub fn of_this_thread() -> Duration {
    #[cfg(target_os = "linux")]
    {
        use rustix::time::{ClockId, clock_gettime};
        clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
    }
    #[cfg(not(target_os = "linux"))]
    {
        use std::sync::LazyLock;
        use std::time::Instant;
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    #[cfg(target_os = "linux")]
    fn sleep_takes_nothing_and_work_does() {
        let begun = of_this_thread();
        std::thread::sleep(Duration::from_millis(60));
        assert!(of_this_thread() - begun < Duration::from_millis(30));
        let until = Instant::now() + Duration::from_secs(20);
        while of_this_thread() - begun < Duration::from_millis(60) {
            assert!(Instant::now() < until, "a busy thread takes time");
        }
    }
}
