import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Created, renamed and removed names reach the disk with their folder, not with the files. */
export function syncFolder(path: string): void {
  // Windows opens no folder as a file, and keeps names in a journal of its own.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Afterwards, the bytes and the name of the file survive a power cut. */
export function appendSynced(path: string, bytes: Buffer): void {
  const file = openSync(path, 'a', 0o600)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}

export function readRaw(path: string, from: number, to: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(to - from)
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file)
  }
}
