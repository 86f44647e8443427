import { createScript } from '../limits-script.ts'
import { AMOUNTS, TIME, WINDOWS } from './parts.ts'

/** The first day of the period that `now` belongs to, as the rest of the gateway counts days. */
const PERIOD = `
local function firstDayOfMonth(day)
  -- Counts in years that begin in March, so that the leap day is the last of its year.
  local shifted = day + 719468
  local dayOfEra = shifted % 146097
  local yearOfEra = math.floor((dayOfEra - math.floor(dayOfEra / 1460) + math.floor(dayOfEra / 36524)
    - math.floor(dayOfEra / 146096)) / 365)
  local dayOfYear = dayOfEra - (365 * yearOfEra + math.floor(yearOfEra / 4) - math.floor(yearOfEra / 100))
  local month = math.floor((5 * dayOfYear + 2) / 153)
  return day - (dayOfYear - math.floor((153 * month + 2) / 5))
end

local function startDay(period)
  local day = math.floor(now / 86400000)
  if period == 'daily' then return day end
  -- 1970-01-01 was a Thursday, three days after a Monday.
  if period == 'weekly' then return day - (day + 3) % 7 end
  if period == 'monthly' then return firstDayOfMonth(day) end
  return 0
end
`

/**
 * KEYS: money, windows, holds of this node; then generation and configuration where they are on the same server; then
 * the pin of the conversation when it is wanted.
 * ARGV: time, generation, configuration, request, key, amount, credit line, period, limit, whether a pin is wanted;
 * then id, limit and amount of each window.
 */
const BODY = `
local generation, configuration, request, key, amount, credit, period, limit, wantsPin = unpack(ARGV, 2, 10)
local FIRST_WINDOW = 11

local function unknown(what)
  return { 'unknown', now, what }
end

if #KEYS >= 5 then
  local desk = redis.call('MGET', KEYS[4], KEYS[5])
  if desk[1] ~= generation then return unknown('generation') end
  if desk[2] and tonumber(desk[2]) > tonumber(configuration) then return { 'behind', now, desk[2] } end
end

local money = redis.call('HMGET', KEYS[1], 'generation', 'balance', 'held', 'held:' .. key,
  'learned:' .. key, period .. ':' .. key)
if money[1] ~= generation then return unknown('account') end
if period ~= '' and money[5] ~= generation then return unknown('key') end

local count, ids, opened, spent, isFull = (#ARGV - FIRST_WINDOW + 1) / 3, {}, {}, {}, false
for i = 1, count do ids[i] = ARGV[FIRST_WINDOW - 3 + i * 3] end
local kept = count > 0 and redis.call('HMGET', KEYS[2], unpack(ids))
for i = 1, count do
  local at = FIRST_WINDOW - 3 + i * 3
  opened[i], spent[i] = readWindow(kept[i])
  if spent[i] + ARGV[at + 2] > tonumber(ARGV[at + 1]) then isFull = true end
end

local function withWindows(word, detail)
  local full = { word, now, detail }
  for i = 1, count do
    full[2 + i * 2] = spent[i]
    full[3 + i * 2] = opened[i]
  end
  return full
end

if isFull then return withWindows('refused', 'window') end

local amountUpper, amountLower = split(amount)
local heldUpper, heldLower = split(money[3] or '0')
local keyHeldUpper, keyHeldLower = split(money[4] or '0')

if period ~= '' then
  local day, total = string.match(money[6] or '0:0', '^(%d+):(.*)$')
  -- What was spent in a period that is over does not count.
  local spentUpper, spentLower = split(tonumber(day) >= startDay(period) and total or '0')
  local limitUpper, limitLower = split(limit)
  local leftUpper, leftLower = limitUpper - spentUpper, limitLower - spentLower
  -- Less than one unit left is nothing left, even for a request that is free.
  if isNegative(leftUpper, leftLower - 1)
    or isNegative(leftUpper - keyHeldUpper - amountUpper, leftLower - keyHeldLower - amountLower) then
    return withWindows('refused', 'key-spending-limit')
  end
end

-- A request that costs nothing needs no money.
if credit ~= '' and amount ~= '0' then
  local upper, lower = split(money[2] or '0')
  local creditUpper, creditLower = split(credit)
  upper, lower = upper + creditUpper - heldUpper - amountUpper, lower + creditLower - heldLower - amountLower
  if isNegative(upper, lower) then return withWindows('refused', 'balance') end
end

local written, isOpening = {}, false
for i = 1, count do
  if opened[i] == 0 then
    opened[i], isOpening = now, true
  end
  spent[i] = spent[i] + ARGV[FIRST_WINDOW - 1 + i * 3]
  written[i * 2 - 1] = ids[i]
  written[i * 2] = writeWindow(opened[i], spent[i])
end
if count > 0 then redis.call('HSET', KEYS[2], unpack(written)) end
-- No window outlives the one that was opened last, so an account that went quiet leaves none behind.
if isOpening then redis.call('PEXPIRE', KEYS[2], WINDOW_MS) end

-- The same request may come again after an answer that was lost; it holds once.
if redis.call('HSETNX', KEYS[3], request, amount .. ':' .. key) == 0 then
  local upper, lower = split(string.match(redis.call('HGET', KEYS[3], request), '^(-?%d+):'))
  redis.call('HSET', KEYS[3], request, amount .. ':' .. key)
  heldUpper, heldLower = heldUpper - upper, heldLower - lower
  keyHeldUpper, keyHeldLower = keyHeldUpper - upper, keyHeldLower - lower
end
redis.call('HSET', KEYS[1], 'held', join(heldUpper + amountUpper, heldLower + amountLower),
  'held:' .. key, join(keyHeldUpper + amountUpper, keyHeldLower + amountLower))

return withWindows('admitted', wantsPin ~= '' and redis.call('GET', KEYS[#KEYS]) or '')
`

export const ADMIT = createScript(TIME, AMOUNTS, WINDOWS, PERIOD, BODY)
