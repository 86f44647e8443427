import { DeskSilent } from './edges/redis/index.ts'
import type { Metrics } from './edges/telemetry/metrics.ts'
import type { CommonDesk } from './gateway/ports/common-desk.ts'

/** The same desk; how long requests wait for it is counted. */
export function meterDesk(desk: CommonDesk, metrics: Metrics): CommonDesk {
  const metered = async <Answer>(call: Promise<Answer>): Promise<Answer> => {
    const begunMs = performance.now()
    try {
      const answer = await call
      metrics.noteDeskCall({ result: 'answered', durationMs: performance.now() - begunMs })
      return answer
    } catch (error) {
      const result = error instanceof DeskSilent ? 'late' : 'failed'
      metrics.noteDeskCall({ result, durationMs: performance.now() - begunMs })
      throw error
    }
  }
  return {
    admit: (call) => metered(desk.admit(call)),
    takeCapacity: (...call) => metered(desk.takeCapacity(...call)),
    look: (...call) => metered(desk.look(...call)),
    // Nobody waits for these.
    settle: (...call) => desk.settle(...call),
    learn: (...call) => desk.learn(...call),
    assertHolds: (...call) => desk.assertHolds(...call),
    addHolds: (...call) => desk.addHolds(...call),
    releaseNode: (nodeId) => desk.releaseNode(nodeId),
    generation: () => desk.generation(),
    beginGeneration: (proposed) => desk.beginGeneration(proposed),
    joinGeneration: (generation) => desk.joinGeneration(generation),
    listJoined: (generation) => desk.listJoined(generation),
    configurationVersion: () => desk.configurationVersion(),
    announceConfiguration: (version) => desk.announceConfiguration(version),
    savePin: (pin) => desk.savePin(pin),
    saveNote: (note) => desk.saveNote(note),
    findNotes: (...call) => desk.findNotes(...call),
    publish: (...call) => desk.publish(...call),
    listKept: () => desk.listKept(),
    onNotice: (listener) => desk.onNotice(listener),
    onConnected: (listener) => desk.onConnected(listener),
    close: () => desk.close(),
  }
}
