import fc from 'fast-check'

// The same cases in every run, or a change would be blamed for what chance has found; another number looks elsewhere.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) })
