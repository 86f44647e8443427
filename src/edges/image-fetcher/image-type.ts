/** The picture types every supplier format takes, by the bytes they begin with. */
const SIGNATURES: readonly (readonly [mediaType: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ['image/png', (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47])],
  ['image/jpeg', (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff])],
  ['image/gif', (bytes) => startsWith(bytes, [0x47, 0x49, 0x46, 0x38])],
  [
    'image/webp',
    (bytes) =>
      startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
  ],
]

/** What a picture really is, whatever its server calls it; null when it is none we know. */
export function imageTypeOf(bytes: Uint8Array): string | null {
  return SIGNATURES.find(([, matches]) => matches(bytes))?.[0] ?? null
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte)
}
