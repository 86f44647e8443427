import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A separate file system with a folder for a gateway. */
export interface Disk {
  readonly folder: string
  /** Unmounts it; nothing may use it any more. */
  remove(): void
}

export interface CuttableDisk extends Disk {
  /**
   * A disk with what a power cut at this moment would leave. Only what was synced has reached the image; all else is in
   * the memory of the system. Stop those who write before.
   */
  copyAsAfterPowerCut(): CuttableDisk
}

const IMAGE_BYTES = 96 * 1024 * 1024

/** ext4 in a file. Only synced data is written back: the system's own intervals are longer than any test. */
export function makeCuttableDisk(): CuttableDisk {
  const place = mkdtempSync(join(tmpdir(), 'turnpike-image-'))
  const image = join(place, 'image')
  writeFileSync(image, '')
  run(['truncate', '-s', String(IMAGE_BYTES), image])
  run(['mkfs.ext4', '-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image])
  return mountImage(place, image)
}

function mountImage(place: string, image: string): CuttableDisk {
  const point = join(place, 'mounted')
  mkdirSync(point)
  run(['mount', '-o', 'loop,commit=300', image, point])
  return {
    folder: folderIn(point),
    copyAsAfterPowerCut: () => {
      const copyPlace = mkdtempSync(join(tmpdir(), 'turnpike-image-'))
      const copy = join(copyPlace, 'image')
      copyFileSync(image, copy)
      return mountImage(copyPlace, copy)
    },
    remove: () => unmount(place, point),
  }
}

/** In memory, so that it is full at a byte that the test chooses. */
export function makeSmallDisk(megabytes: number): Disk {
  const place = mkdtempSync(join(tmpdir(), 'turnpike-small-'))
  const point = join(place, 'mounted')
  mkdirSync(point)
  run(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'turnpike-test', point])
  return { folder: folderIn(point), remove: () => unmount(place, point) }
}

/** Leaves not a single block; gives how to take it back. */
export function fillUp({ folder }: Disk): () => void {
  const filler = join(folder, '..', 'filler')
  const { bfree, bsize } = statfsSync(folder)
  Bun.spawnSync(['fallocate', '-l', String(bfree * bsize), filler])
  // What is left of it when that was too much at once.
  Bun.spawnSync(['dd', 'if=/dev/zero', `of=${filler}.rest`, 'bs=4096', 'status=none'])
  return () => {
    rmSync(filler, { force: true })
    rmSync(`${filler}.rest`, { force: true })
  }
}

function folderIn(point: string): string {
  const folder = join(point, 'data')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

function unmount(place: string, point: string): void {
  Bun.spawnSync(['umount', point])
  rmSync(place, { recursive: true, force: true })
}

function run(command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString().trim()}`)
}

/** Why a kind of disk cannot be had here; null when it can. */
export function whyNot(make: () => Disk): string | null {
  try {
    make().remove()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Printed so that a run without it is not mistaken for a full one. */
export function sayLeftOut(what: string, reason: string | null): void {
  if (reason !== null)
    console.error(`!!! ${what}: LEFT OUT of this run, because there is no such disk: ${reason}`)
}
