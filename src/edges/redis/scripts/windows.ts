import { createScript } from '../limits-script.ts'
import { AMOUNTS, HOLDS, TIME, WINDOWS } from './parts.ts'

/**
 * KEYS: windows. ARGV: time; then for each option the number of its windows, and id, limit and amount of each.
 * Answers with the place of the option that was taken, from 0; or with -1 and for each option the seconds to wait.
 */
export const TAKE_CAPACITY = createScript(
  TIME,
  WINDOWS,
  `
local options, at = {}, 2
while at <= #ARGV do
  local count = tonumber(ARGV[at])
  options[#options + 1] = { first = at + 1, last = at + count * 3 }
  at = at + 1 + count * 3
end

-- The same window may stand in several options; it is read once.
local windows = {}
local function find(id)
  local window = windows[id]
  if not window then
    local opened, spent = readWindow(redis.call('HGET', KEYS[1], id))
    window = { opened = opened, spent = spent }
    windows[id] = window
  end
  return window
end

local function secondsToWait(option)
  local longest = 0
  for i = option.first, option.last, 3 do
    local window = find(ARGV[i])
    if window.spent + tonumber(ARGV[i + 2]) > tonumber(ARGV[i + 1]) then
      local left = window.opened == 0 and 0 or window.opened + WINDOW_MS - now
      longest = math.max(longest, 1, math.ceil(left / 1000))
    end
  end
  return longest
end

local function take(option)
  local isOpening = false
  for i = option.first, option.last, 3 do
    local window = find(ARGV[i])
    if window.opened == 0 then
      window.opened, isOpening = now, true
    end
    window.spent = window.spent + tonumber(ARGV[i + 2])
    redis.call('HSET', KEYS[1], ARGV[i], writeWindow(window.opened, window.spent))
  end
  if isOpening then redis.call('PEXPIRE', KEYS[1], WINDOW_MS) end
end

local refused = { -1 }
for place, option in ipairs(options) do
  local seconds = secondsToWait(option)
  if seconds == 0 then
    take(option)
    return { place - 1 }
  end
  refused[#refused + 1] = seconds
end
return refused
`,
)

/** KEYS: windows. ARGV: time, ids. Answers with the time, and for each what was spent and when it was opened. */
export const LOOK = createScript(
  TIME,
  WINDOWS,
  `
local answer = { '', now, '' }
for i = 2, #ARGV do
  local opened, spent = readWindow(redis.call('HGET', KEYS[1], ARGV[i]))
  answer[#answer + 1] = spent
  answer[#answer + 1] = opened
end
return answer
`,
)

/**
 * Gives back what an admission took. KEYS: money, holds of this node, windows. ARGV: time, request; then for each
 * window its id, the amount, and when the window was opened from which it was taken.
 */
export const UNDO = createScript(
  TIME,
  AMOUNTS,
  WINDOWS,
  HOLDS,
  `
readHolds({ ARGV[2] })
setHold(ARGV[2], false)
writeHolds()
for i = 3, #ARGV, 3 do
  local opened, spent = readWindow(redis.call('HGET', KEYS[3], ARGV[i]))
  -- A window that was opened since never had it.
  if opened == tonumber(ARGV[i + 2]) then
    local rest = spent - tonumber(ARGV[i + 1])
    if rest > 0 then
      redis.call('HSET', KEYS[3], ARGV[i], writeWindow(opened, rest))
    else
      redis.call('HDEL', KEYS[3], ARGV[i])
    end
  end
end
`,
)
