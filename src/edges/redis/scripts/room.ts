/** How much more may be held on a key and on its account. Needs TIME and AMOUNTS. */
export const ROOM = `
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

-- The first day of the period that now belongs to, as the rest of the gateway counts days.
local function startDay(period)
  local day = math.floor(now / 86400000)
  if period == 'daily' then return day end
  -- 1970-01-01 was a Thursday, three days after a Monday.
  if period == 'weekly' then return day - (day + 3) % 7 end
  if period == 'monthly' then return firstDayOfMonth(day) end
  return 0
end

-- Nothing when the limit is used up: less than one unit left is nothing left, even for a request that is free.
local function roomInLimit(period, limit, total)
  local day, spent = string.match(total or '0:0', '^(%d+):(.*)$')
  -- What was spent in a period that is over does not count.
  local spentUpper, spentLower = split(tonumber(day) >= startDay(period) and spent or '0')
  local upper, lower = split(limit)
  upper, lower = upper - spentUpper, lower - spentLower
  if isNegative(upper, lower - 1) then return nil end
  return upper, lower
end

local function roomInBalance(balance, credit)
  local upper, lower = split(balance or '0')
  local creditUpper, creditLower = split(credit)
  return upper + creditUpper, lower + creditLower
end
`
