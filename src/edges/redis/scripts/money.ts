import { createScript } from '../limits-script.ts'
import { AMOUNTS, HOLDS, TIME } from './parts.ts'

/** KEYS: money, holds of this node. ARGV: request and amount of each. */
export const SETTLE = createScript(
  AMOUNTS,
  HOLDS,
  `
local requests = {}
for i = 1, #ARGV, 2 do requests[#requests + 1] = ARGV[i] end
readHolds(requests)
for i = 1, #ARGV, 2 do
  local known = holds[ARGV[i]]
  if known then setHold(ARGV[i], ARGV[i + 1] .. string.match(known, ':.*$')) end
end
writeHolds()
`,
)

/**
 * KEYS: money, holds of this node; then generation where it is on the same server. ARGV: time, generation, whether the
 * account is loaded by this, balance and its version or nothing, number of stored requests, these; then of each key its
 * id, and first day and amount of its four periods.
 */
export const LEARN = createScript(
  TIME,
  AMOUNTS,
  HOLDS,
  `
local generation, isLoad, balance, version, stored = unpack(ARGV, 2, 6)
local today = math.floor(now / 86400000)
if KEYS[3] and redis.call('GET', KEYS[3]) ~= generation then return end

local function isGreater(left, right)
  local leftUpper, leftLower = split(left)
  local rightUpper, rightLower = split(right)
  return isNegative(rightUpper - leftUpper, rightLower - leftLower)
end

local requests, firstKey = {}, 7 + tonumber(stored)
for i = 7, firstKey - 1 do requests[#requests + 1] = ARGV[i] end
readHolds(requests)
for _, request in ipairs(requests) do setHold(request, false) end
writeHolds()

local PERIODS = { 'daily', 'weekly', 'monthly', 'forever' }
local fields, told = { 'version' }, {}
for at = firstKey, #ARGV, 9 do
  for _, period in ipairs(PERIODS) do fields[#fields + 1] = period .. ':' .. ARGV[at] end
end
local known = readFields(KEYS[1], fields)

local function tell(field, value)
  told[#told + 1] = field
  told[#told + 1] = value
end

if balance ~= '' and (not known[1] or isGreater(version, known[1])) then
  tell('balance', balance)
  tell('version', version)
end

local place = 1
for at = firstKey, #ARGV, 9 do
  for i = 1, #PERIODS do
    place = place + 1
    local day, spent = ARGV[at + i * 2 - 1], ARGV[at + i * 2]
    local knownDay, knownSpent = string.match(known[place] or '', '^(%d+):(.*)$')
    -- News can overtake each other: of one period the greater sum is the later.
    -- A node whose clock is ahead tells of a period that has not begun; the present one must not be forgotten for it.
    if tonumber(day) <= today and (not knownDay or tonumber(day) > tonumber(knownDay)
      or (day == knownDay and isGreater(spent, knownSpent))) then
      tell(fields[place], day .. ':' .. spent)
    end
  end
  -- Only whoever loads has read everything; other news may be older than what another node has stored since.
  if isLoad ~= '' then tell('learned:' .. ARGV[at], generation) end
end
if isLoad ~= '' then tell('generation', generation) end
writeFields(KEYS[1], told)
`,
)

/** KEYS: money, holds of this node. ARGV: number of holds, request, key and amount of each; requests to leave alone. */
export const ASSERT_HOLDS = createScript(
  AMOUNTS,
  HOLDS,
  `
local isToStay, firstUnsure = {}, 2 + tonumber(ARGV[1]) * 3
for i = firstUnsure, #ARGV do isToStay[ARGV[i]] = true end
local there = redis.call('HKEYS', KEYS[2])
readHolds(there)
for i = 2, firstUnsure - 1, 3 do
  isToStay[ARGV[i]] = true
  setHold(ARGV[i], ARGV[i + 2] .. ':' .. ARGV[i + 1])
end
for _, request in ipairs(there) do
  if not isToStay[request] then setHold(request, false) end
end
writeHolds()
`,
)

/** KEYS: money, holds of this node. ARGV: request, key and amount of each. */
export const ADD_HOLDS = createScript(
  AMOUNTS,
  HOLDS,
  `
local requests = {}
for i = 1, #ARGV, 3 do requests[#requests + 1] = ARGV[i] end
readHolds(requests)
for i = 1, #ARGV, 3 do setHold(ARGV[i], ARGV[i + 2] .. ':' .. ARGV[i + 1]) end
writeHolds()
`,
)

/**
 * KEYS: money, holds of a node. Lets go of all of them, and says how many there were. What the node has stored and not
 * told is missing in the balance and the totals, so nobody may judge by them before all is loaded again.
 */
export const RELEASE = createScript(
  AMOUNTS,
  HOLDS,
  `
local requests = redis.call('HKEYS', KEYS[2])
if #requests == 0 then return 0 end
readHolds(requests)
for _, request in ipairs(requests) do setHold(request, false) end
writeHolds()
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  local isKept = field == 'balance' or field == 'version' or string.sub(field, 1, 4) == 'held'
  if not isKept then redis.call('HDEL', KEYS[1], field) end
end
return #requests
`,
)
