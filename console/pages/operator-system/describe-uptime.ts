const STEPS = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3_600 },
  { unit: 'min', seconds: 60 },
  { unit: 's', seconds: 1 },
] as const

/** `93784` → `1 d 2 h`: the two largest units. */
export function describeUptime(seconds: number): string {
  let rest = Math.floor(seconds)
  const parts: string[] = []
  for (const step of STEPS) {
    const count = Math.floor(rest / step.seconds)
    rest -= count * step.seconds
    if (count > 0 || parts.length > 0) parts.push(`${count} ${step.unit}`)
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}
