/**
 * `now` in milliseconds, of Redis itself, so that the clocks of nodes do not matter. A test gives its own as the first
 * argument.
 */
export const TIME = `
local now
if ARGV[1] ~= '' then
  now = tonumber(ARGV[1])
else
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`

/**
 * Exact arithmetic with 64-bit amounts, which Lua's numbers cannot hold: an amount is a pair of halves, the upper one
 * in thousand millions, each of which a double holds exactly. Pairs are added and subtracted half by half.
 */
export const AMOUNTS = `
local HALF = 1e9

local function split(text)
  -- Fifteen digits fit into one half with room to spare, which spares most amounts the work below.
  if #text <= 15 then return 0, tonumber(text) end
  local sign, upper, lower = string.match(text, '^(-?)(%d+)(%d%d%d%d%d%d%d%d%d)$')
  if sign == '-' then return -tonumber(upper), -tonumber(lower) end
  return tonumber(upper), tonumber(lower)
end

local function isNegative(upper, lower)
  return upper + math.floor(lower / HALF) < 0
end

local function join(upper, lower)
  local carry = math.floor(lower / HALF)
  upper, lower = upper + carry, lower - carry * HALF
  -- Digits are written with one sign in front, so both halves must have it.
  if upper < 0 and lower > 0 then upper, lower = upper + 1, lower - HALF end
  if upper == 0 then return string.format('%.0f', lower) end
  return string.format('%.0f%09.0f', upper, math.abs(lower))
end
`

/** One-minute windows, kept as "opened:spent" under their ids in one hash. */
export const WINDOWS = `
local WINDOW_MS = 60000

-- What is over counts as not opened; so does a window from the future, which a clock that was set back leaves behind.
local function readWindow(text)
  if not text then return 0, 0 end
  local colon = string.find(text, ':', 1, true)
  local opened = tonumber(string.sub(text, 1, colon - 1))
  if now < opened or now - opened >= WINDOW_MS then return 0, 0 end
  return opened, tonumber(string.sub(text, colon + 1))
end

local function writeWindow(opened, spent)
  return string.format('%.0f:%.0f', opened, spent)
end
`

/** Many fields of a hash at once. A call takes only so many arguments from Lua, hence the chunks, of an even length. */
const FIELDS = `
local CHUNK = 1000

local function eachChunk(list, visit)
  for first = 1, #list, CHUNK do visit(first, math.min(first + CHUNK - 1, #list)) end
end

local function readFields(key, fields)
  local values = {}
  eachChunk(fields, function(first, last)
    for i, value in ipairs(redis.call('HMGET', key, unpack(fields, first, last))) do values[first + i - 1] = value end
  end)
  return values
end

local function writeFields(key, fieldsAndValues)
  eachChunk(fieldsAndValues, function(first, last) redis.call('HSET', key, unpack(fieldsAndValues, first, last)) end)
end

local function removeFields(key, fields)
  eachChunk(fields, function(first, last) redis.call('HDEL', key, unpack(fields, first, last)) end)
end
`

/**
 * Holds of one node in KEYS[2], request by request, as "amount:key"; in KEYS[1] what all nodes hold, in all and by key.
 * The sums change in the same step as the holds, so nobody ever has to add them up. Read, set, then write.
 */
export const HOLDS = `
${FIELDS}
local holds, isTouched, changes = {}, {}, {}

local function readHolds(requests)
  for i, hold in ipairs(readFields(KEYS[2], requests)) do holds[requests[i]] = hold end
end

local function change(field, upper, lower)
  local known = changes[field]
  if known then upper, lower = upper + known[1], lower + known[2] end
  changes[field] = { upper, lower }
end

local function count(hold, sign)
  local amount, key = string.match(hold, '^(-?%d+):(.*)$')
  local upper, lower = split(amount)
  change('held', sign * upper, sign * lower)
  change('held:' .. key, sign * upper, sign * lower)
end

-- A hold that is set to false is gone.
local function setHold(request, hold)
  if holds[request] then count(holds[request], -1) end
  if hold then count(hold, 1) end
  holds[request], isTouched[request] = hold, true
end

local function writeHolds()
  local written, removed, fields, sums = {}, {}, {}, {}
  for request in pairs(isTouched) do
    if holds[request] then
      written[#written + 1] = request
      written[#written + 1] = holds[request]
    else
      removed[#removed + 1] = request
    end
  end
  writeFields(KEYS[2], written)
  removeFields(KEYS[2], removed)
  for field in pairs(changes) do fields[#fields + 1] = field end
  for i, sum in ipairs(readFields(KEYS[1], fields)) do
    local upper, lower = split(sum or '0')
    local by = changes[fields[i]]
    sums[i * 2 - 1], sums[i * 2] = fields[i], join(upper + by[1], lower + by[2])
  end
  writeFields(KEYS[1], sums)
end
`
