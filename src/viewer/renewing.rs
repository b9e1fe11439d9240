//! Shaders that change while the window is open: with the feature `reload`.

use super::running::Running;
use crate::error::Result;

impl Running {
    /// Goes on with shaders whose files have changed; where they cannot be compiled, a message says why, and the ones before go on.
    pub(super) fn renew_shaders(&mut self) -> Result<()> {
        match self.shaders.renew() {
            None | Some(Ok(0)) => Ok(()),
            Some(Ok(count)) => {
                let rebuilt = self.session.make_anew(&self.options);
                rebuilt
                    .map(|()| self.notify(&format!("{count} shaders compiled again")))
                    .or_else(|error| self.refused(error))
            }
            Some(Err(message)) => {
                self.announce(message.trim_end().to_owned());
                Ok(())
            }
        }
    }
}
