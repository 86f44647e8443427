import { createScript } from '../limits-script.ts'
import { AMOUNTS, TIME, WINDOWS } from './parts.ts'
import { ROOM } from './room.ts'

/**
 * KEYS: money, windows, holds of this node; then generation and configuration where they are on the same server; then
 * the pin of the conversation when it is wanted.
 * ARGV: time, generation, configuration, request, key, amount, credit line, period, limit, whether a pin is wanted,
 * the least that must be held or nothing; then id, limit and amount of each window.
 */
const BODY = `
local generation, configuration, request, key, amount, credit, period, limit, wantsPin, least =
  unpack(ARGV, 2, 11)
local FIRST_WINDOW = 12

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

-- A request that costs nothing needs no money.
local needsMoney, isShort = credit ~= '' and amount ~= '0', false
local limitUpper, limitLower, freeUpper, freeLower
if period ~= '' then
  limitUpper, limitLower = roomInLimit(period, limit, money[6])
  if not limitUpper then return withWindows('refused', 'key-spending-limit') end
  limitUpper, limitLower = limitUpper - keyHeldUpper, limitLower - keyHeldLower
  isShort = isNegative(limitUpper - amountUpper, limitLower - amountLower)
end
if needsMoney then
  freeUpper, freeLower = roomInBalance(money[2], credit)
  freeUpper, freeLower = freeUpper - heldUpper, freeLower - heldLower
  isShort = isShort or isNegative(freeUpper - amountUpper, freeLower - amountLower)
end

local part = nil
if isShort then
  -- What the same request held already, before its answer was lost, is room for it.
  local own = redis.call('HGET', KEYS[3], request)
  local ownUpper, ownLower = split(own and string.match(own, '^(-?%d+):') or '0')
  local neededUpper, neededLower = split(least ~= '' and least or amount)
  if isNegative(amountUpper - neededUpper, amountLower - neededLower) then
    neededUpper, neededLower = amountUpper, amountLower
  end
  -- Whether there is enough; what is held is no more than there is.
  local function fits(upper, lower)
    upper, lower = upper + ownUpper, lower + ownLower
    if isNegative(upper - neededUpper, lower - neededLower) then return false end
    if isNegative(upper - amountUpper, lower - amountLower) then amountUpper, amountLower = upper, lower end
    return true
  end
  if period ~= '' and not fits(limitUpper, limitLower) then return withWindows('refused', 'key-spending-limit') end
  if needsMoney and not fits(freeUpper, freeLower) then return withWindows('refused', 'balance') end
  local held = join(amountUpper, amountLower)
  if held ~= amount then amount, part = held, held .. ':' end
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

return withWindows(part and 'partial' or 'admitted', (part or '') ..
  (wantsPin ~= '' and redis.call('GET', KEYS[#KEYS]) or ''))
`

/**
 * KEYS: money, holds of this node; then generation where it is on the same server.
 * ARGV: time, generation, request, key, amount, credit line, period, limit.
 * Answers with a word: it has grown, it was refused, or what is not known.
 */
const GROW_BODY = `
local generation, request, key, amount, credit, period, limit = unpack(ARGV, 2, 8)
if KEYS[3] and redis.call('GET', KEYS[3]) ~= generation then return 'generation' end
local money = redis.call('HMGET', KEYS[1], 'generation', 'balance', 'held', 'held:' .. key,
  'learned:' .. key, period .. ':' .. key)
if money[1] ~= generation then return 'account' end
if period ~= '' and money[5] ~= generation then return 'key' end
local hold = redis.call('HGET', KEYS[2], request)
if not hold then return 'hold' end

local ownUpper, ownLower = split(string.match(hold, '^(-?%d+):'))
local moreUpper, moreLower = split(amount)
moreUpper, moreLower = moreUpper - ownUpper, moreLower - ownLower
-- The same call may come again after an answer that was lost; it holds once.
if isNegative(moreUpper, moreLower - 1) then return 'grown' end

local heldUpper, heldLower = split(money[3] or '0')
local keyHeldUpper, keyHeldLower = split(money[4] or '0')
heldUpper, heldLower = heldUpper + moreUpper, heldLower + moreLower
keyHeldUpper, keyHeldLower = keyHeldUpper + moreUpper, keyHeldLower + moreLower
if period ~= '' then
  local upper, lower = roomInLimit(period, limit, money[6])
  if not upper or isNegative(upper - keyHeldUpper, lower - keyHeldLower) then return 'refused' end
end
if credit ~= '' then
  local upper, lower = roomInBalance(money[2], credit)
  if isNegative(upper - heldUpper, lower - heldLower) then return 'refused' end
end
redis.call('HSET', KEYS[2], request, amount .. ':' .. key)
redis.call('HSET', KEYS[1], 'held', join(heldUpper, heldLower), 'held:' .. key, join(keyHeldUpper, keyHeldLower))
return 'grown'
`

export const GROW = createScript(TIME, AMOUNTS, ROOM, GROW_BODY)

export const ADMIT = createScript(TIME, AMOUNTS, WINDOWS, ROOM, BODY)
