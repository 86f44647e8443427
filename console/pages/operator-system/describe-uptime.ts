const STEPS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
  { unit: 's', seconds: 1 },
] as const

/** `93784` → `1 d 2 h`: the two largest units, or one: `3600` → `1 h`. */
export function describeUptime(seconds: number): string {
  let rest = Math.floor(seconds)
  const parts: string[] = []
  for (const step of STEPS) {
    const count = Math.floor(rest / step.seconds)
    rest -= count * step.seconds
    if (count > 0 || parts.length > 0) parts.push(`${count} ${step.unit}`)
  }
  const [largest = '0 s', next = ''] = parts
  return next === '' || next.startsWith('0 ') ? largest : `${largest} ${next}`
}
