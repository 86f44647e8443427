import { createScript } from '../limits-script.ts'
import { TIME } from './parts.ts'

/** KEYS: generation. ARGV: the proposed one. Answers with the one that holds. */
export const BEGIN_GENERATION = createScript(`
local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
`)

/** KEYS: configuration. ARGV: version. */
export const ANNOUNCE_CONFIGURATION = createScript(`
local known = redis.call('GET', KEYS[1])
if not known or tonumber(ARGV[1]) > tonumber(known) then redis.call('SET', KEYS[1], ARGV[1]) end
`)

/**
 * Notices with the time of their end. KEYS: kept. ARGV: time, channel, message, the notice, how long it is kept. Those
 * that are over go with every new one, and all of them with the last.
 */
export const PUBLISH_KEPT = createScript(
  TIME,
  `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[5])), ARGV[4])
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(1, tonumber(last[2]) - now)))
redis.call('PUBLISH', ARGV[2], ARGV[3])
`,
)

/** KEYS: kept. ARGV: time. Answers with the notices that still are. */
export const LIST_KEPT = createScript(
  TIME,
  `
return redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
`,
)
