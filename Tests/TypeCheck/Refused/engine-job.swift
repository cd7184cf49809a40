// Only the library runs a job of the engine.
import PromiseContexts

func run(_ job: consuming EngineJob) {
  // expect: value of type 'EngineJob' has no member 'run'
  job.run()
}

func take(_ job: consuming EngineJob) {
  // expect: 'take' is inaccessible due to 'package' protection level
  _ = job.take()
}
