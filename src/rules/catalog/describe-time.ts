/** RFC 3339 in UTC, without a fraction when there is none, so that a whole second reads back as it was written. */
export function describeTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z')
}

export function describeOptionalTime(epochMs: number | null): string | null {
  return epochMs === null ? null : describeTime(epochMs)
}
