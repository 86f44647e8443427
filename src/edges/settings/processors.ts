import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'

/** What the system says about its processors; another one in tests. */
export interface ProcessorFacts {
  readonly platform: string
  /** Those that this process may run on. */
  readonly processors: number
  /** Null where there is no such file. */
  read(path: string): string | null
}

const SYSTEM: ProcessorFacts = {
  platform: process.platform,
  processors: availableParallelism(),
  read: (path) => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return null
    }
  },
}

/**
 * How many processors this process can keep busy: those it may run on, or fewer where a container or a service has a
 * limit. A part of a processor is left for the runtime's other threads. Only Linux shares a port among processes, so
 * elsewhere it is one.
 */
export function countProcessors(facts: ProcessorFacts = SYSTEM): number {
  if (facts.platform !== 'linux') return 1
  return Math.max(1, Math.floor(Math.min(facts.processors, cpuQuota(facts))))
}

const CGROUPS = '/sys/fs/cgroup'

/** In processors. The limits of all groups above this process hold as well, so the smallest one decides. */
function cpuQuota({ read }: ProcessorFacts): number {
  const quotas = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    const groups = groupsUpFrom(path)
    if (controllers === '')
      return groups.map((group) => quotaOfVersion2(read(join(CGROUPS, group, 'cpu.max'))))
    if (!controllers.split(',').includes('cpu')) return []
    return groups.map((group) => {
      const folder = join(CGROUPS, 'cpu', group)
      return quotaOf(read(join(folder, 'cpu.cfs_quota_us')), read(join(folder, 'cpu.cfs_period_us')))
    })
  })
  return Math.min(Number.POSITIVE_INFINITY, ...quotas)
}

/** Up to the root, which inside a container is the container's own group, whatever its path is called outside. */
function groupsUpFrom(path: string): string[] {
  if (path === '') return []
  return path === '/' ? [path] : [path, ...groupsUpFrom(dirname(path))]
}

/** `<quota> <period>` in microseconds, or `max <period>`. */
function quotaOfVersion2(text: string | null): number {
  const [quota = null, period = null] = text?.trim().split(' ') ?? []
  return quotaOf(quota, period)
}

/** Infinite where there is none: `max` in version 2, -1 in version 1. */
function quotaOf(quota: string | null, period: string | null): number {
  const processors = Number(quota ?? Number.NaN) / Number(period ?? Number.NaN)
  return processors > 0 ? processors : Number.POSITIVE_INFINITY
}
