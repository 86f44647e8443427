import type { FaultOf } from '../faults.ts'

/** Cuts bytes where a careless reader breaks: everywhere, or inside every character of several bytes. */
export function* splitBytes(bytes: Uint8Array, fault: FaultOf<'split-utf8'> | null): Generator<Uint8Array> {
  if (fault === null) return yield bytes
  let start = 0
  for (let end = 1; end < bytes.length; end++) {
    if (fault.at === 'inside-characters' && !isContinuation(bytes[end])) continue
    yield bytes.subarray(start, end)
    start = end
  }
  yield bytes.subarray(start)
}

/** Every byte of a character but its first looks like this. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
