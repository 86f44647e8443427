import { createScript } from '../desk-script.ts'
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

/** KEYS: kept. ARGV: time, channel, message, the notice, how long it is kept. */
export const PUBLISH_KEPT = createScript(
  TIME,
  `
redis.call('HSET', KEYS[1], ARGV[4], string.format('%.0f', now + tonumber(ARGV[5])))
redis.call('PUBLISH', ARGV[2], ARGV[3])
`,
)

/** KEYS: kept. ARGV: time. Answers with the notices that still are, and forgets the rest. */
export const LIST_KEPT = createScript(
  TIME,
  `
local fields, found = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #fields, 2 do
  if now < tonumber(fields[i + 1]) then
    found[#found + 1] = fields[i]
  else
    redis.call('HDEL', KEYS[1], fields[i])
  end
end
return found
`,
)
