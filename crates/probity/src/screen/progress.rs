use crate::engine::Event;
use crate::out::Out;
pub(crate) struct Progress {
    out: Out,
}
impl Progress {
    pub(crate) fn begin(_name: &str, out: Out) -> Self {
        Self { out }
    }
    pub(crate) fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Opened(run, env) => self.out.talk(&format!("{run} {env}")),
            Event::Blocked(why) => self.out.talk(&format!("BLOCKED {why}")),
            Event::Warning(message) => self.out.warn(message),
            Event::Step(_, step, what) => self.out.talk(&format!("  {step} {what}")),
            Event::Case(c) => {
                self.out.talk(&format!("  {} {} {} steps {} ms {:?}", c.id, c.title, c.steps, c.ms, c.stopped))
            }
        }
    }
}
