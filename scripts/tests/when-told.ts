/** The argument that makes the run of the tests wait for a line of its input before it begins them. */
export const WHEN_TOLD = '--when-told'

/** False when the input ends without a line: whoever would have written it has found a reason against it. */
export async function isTold(): Promise<boolean> {
  for await (const _line of console) return true
  return false
}
