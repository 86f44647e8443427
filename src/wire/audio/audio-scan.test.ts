import { expect, test } from 'bun:test'
import { AudioScan } from './audio-scan.ts'
import { aacFile, flacFile, mp3File, mp4File, opusFile, wavFile, webmFile } from './testing/audio-files.ts'

function scan(file: Uint8Array, pieceBytes = file.length) {
  const scanned = new AudioScan()
  for (let start = 0; start < file.length; start += pieceBytes)
    scanned.push(file.subarray(start, start + pieceBytes))
  return scanned.facts
}

test.each([
  ['wav', wavFile(1_500), 1_500],
  ['mp3', mp3File(100), Math.round((100 * 1_152_000) / 44_100)],
  ['aac', aacFile(50), Math.round((50 * 1_024_000) / 44_100)],
  ['flac', flacFile(48_000), 3_000],
  ['ogg', opusFile(2_500), 2_500],
  ['mp4', mp4File(12_345), 12_345],
  ['webm', webmFile(4_200), 4_200],
  ['webm', webmFile(null), null],
] as const)('a %s file is recognised, and its length read, in pieces of any size', (container, file, ms) => {
  for (const pieceBytes of [file.length, 1, 7, 64]) {
    const facts = scan(file, pieceBytes)
    expect(facts.container).toBe(container)
    if (ms === null) expect(facts.durationMs).toBeNull()
    else expect(Math.abs((facts.durationMs ?? -1) - ms)).toBeLessThanOrEqual(1)
  }
})

test('uncompressed audio is as long as its bytes, whatever its header promises', () => {
  for (const declared of [0, 0xffff_ffff, 10_000_000])
    expect(scan(wavFile(1_000, 8_000, declared)).durationMs).toBeWithin(1_000, 1_005)
  expect(scan(wavFile(1_000, 8_000, 8_000))).toMatchObject({ durationMs: 500, bytesPerSecond: 16_000 })
})

test('a length is not told when much of the file is not understood', () => {
  const file = new Uint8Array(600_000).fill(1)
  file.set(mp3File(3))
  expect(scan(file)).toMatchObject({ container: 'mp3', durationMs: null })
})

test('anything else is no audio, and never fails', () => {
  for (const text of ['', 'x', 'hello, this is a text', 'RIFF____WAVE', 'OggS', 'fLaC', 'ID3'])
    expect(scan(new TextEncoder().encode(text)).durationMs).toBeNull()
  for (const file of [
    wavFile(10),
    mp3File(3),
    opusFile(10),
    mp4File(10),
    webmFile(10),
    flacFile(10),
    aacFile(2),
  ]) {
    for (let index = 4; index < Math.min(file.length, 120); index += 1) {
      const broken = file.slice()
      broken[index] = 0xff
      expect(() => scan(broken)).not.toThrow()
    }
  }
})
