import { Profiler } from '../../edges/profiling/profiler.ts'
import type { Settings } from '../../edges/settings/settings.ts'
import { AuditLog } from '../../manage/identity/audit-log.ts'
import { systemRandom } from '../../manage/operations/random-source.ts'
import type { Profiling } from '../../manage/ports/profiling.ts'
import type { Services } from '../services.ts'
import type { SystemServices } from '../system-services.ts'

/** Profiles for operators, each on record before it is taken. */
export function openProfiling(
  { profiling }: Settings,
  { clock, log }: SystemServices,
  { storage, membership }: Pick<Services, 'storage' | 'membership'>,
): Profiling {
  const audit = new AuditLog(clock, systemRandom.id)
  const { node } = membership.registry
  return new Profiler({
    isOn: profiling === 'on',
    note: async (what, actor) => {
      const event = audit.event({ actor, action: `process.${what}`, subject: node.id })
      await storage.writeEvent(event)
      log.notice('a profile is being taken', { what, actor, node: node.name })
    },
  })
}
