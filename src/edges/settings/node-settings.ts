import { countProcessors } from './processors.ts'
import { SettingError, type Settings } from './settings.ts'

interface NodeReader {
  text(name: string): string | null
  integer(name: string, rule: { fallback: number; least: number; most: number }): number
  integerOrAuto(
    name: string,
    rule: { fallback: number; least: number; most: number; auto: () => number },
  ): number
  choice<const T extends string>(name: string, rule: { choices: readonly T[]; fallback: T }): T
}

type NodeSettings = Pick<
  Settings,
  | 'redisUrl'
  | 'redisLoss'
  | 'redisDeadlineMs'
  | 'nodeName'
  | 'nodeLeaseSeconds'
  | 'workers'
  | 'drainSeconds'
  | 'journalMaxBytes'
  | 'journalMaxAgeSeconds'
>

const MAX_WORKERS = 256
const GIBIBYTE = 1024 * 1024 * 1024

/** Settings for several nodes. */
export function readNodeSettings(read: NodeReader): NodeSettings {
  return {
    redisUrl: readRedisUrl(read),
    redisLoss: read.choice('TURNPIKE_REDIS_LOSS', { choices: ['local', 'refuse'], fallback: 'local' }),
    redisDeadlineMs: read.integer('TURNPIKE_REDIS_DEADLINE_MS', { fallback: 50, least: 5, most: 60_000 }),
    nodeName: read.text('TURNPIKE_NODE_NAME'),
    nodeLeaseSeconds: read.integer('TURNPIKE_NODE_LEASE_SECONDS', { fallback: 15, least: 2, most: 3_600 }),
    workers: read.integerOrAuto('TURNPIKE_WORKERS', {
      fallback: 1,
      least: 1,
      most: MAX_WORKERS,
      auto: () => Math.min(MAX_WORKERS, countProcessors()),
    }),
    drainSeconds: read.integer('TURNPIKE_DRAIN_SECONDS', { fallback: 0, least: 0, most: 600 }),
    journalMaxBytes: read.integer('TURNPIKE_JOURNAL_MAX_BYTES', {
      fallback: GIBIBYTE,
      least: 64 * 1024,
      most: 1024 * GIBIBYTE,
    }),
    journalMaxAgeSeconds: read.integer('TURNPIKE_JOURNAL_MAX_AGE_SECONDS', {
      fallback: 3_600,
      least: 1,
      most: 30 * 24 * 3_600,
    }),
  }
}

const REDIS = 'REDIS_URL'
const REDIS_ADDRESS = /^rediss?(\+sentinel|\+cluster)?:\/\/./

function readRedisUrl(read: NodeReader): string | null {
  const text = read.text(REDIS)
  if (text === null || REDIS_ADDRESS.test(text)) return text
  // The address may contain a password, so the message repeats only its scheme.
  const scheme = /^([a-z0-9+]+):/i.exec(text)?.[1] ?? 'no scheme'
  throw new SettingError(
    `${REDIS} starts with ${scheme}; it must be redis://host:port, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port, each also with rediss.`,
  )
}
