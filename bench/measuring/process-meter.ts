import { readdirSync, readFileSync } from 'node:fs'

/** What the kernel has booked on a process and everything it started. */
export interface ProcessReading {
  readonly cpuUs: number
  readonly residentBytes: number
}

// The unit of utime and stime; 100 on every Linux that Bun runs on.
const TICKS_PER_SECOND = 100
const COMPILER_THREAD = /^JITWorker/

/** Reads /proc, so that the measured process spends nothing on being measured. */
export function readProcessTree(pid: number): ProcessReading {
  const own = readProcess(pid)
  const children = listChildren(pid).map(readProcessTree)
  return {
    cpuUs: own.cpuUs + children.reduce((sum, child) => sum + child.cpuUs, 0),
    residentBytes: own.residentBytes + children.reduce((sum, child) => sum + child.residentBytes, 0),
  }
}

/** utime, stime, cutime and cstime: all threads, living and ended, and the children already buried. */
export function parseCpuTicks(stat: string): number {
  // The program's name may contain blanks and brackets, so counting starts after the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}

/** Time on a processor of all living threads, to the nanosecond where the ticks above are too coarse. */
export function readRunTimeMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + readThreadUs(pid, thread), 0) / 1_000
}

/** Time on a processor of the threads that compile, in a process that Bun runs and in what it started. */
export function readCompilerUs(pid: number): number {
  const own = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + compilerUsOf(pid, thread), 0)
  return listChildren(pid).reduce((sum, child) => sum + readCompilerUs(child), own)
}

/** Files, sockets and pipes that the process has open. */
export function countDescriptors(pid: number): number {
  const own = readdirSync(`/proc/${pid}/fd`).length
  return listChildren(pid).reduce((sum, child) => sum + countDescriptors(child), own)
}

function readThreadUs(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000
}

function compilerUsOf(pid: number, thread: string): number {
  try {
    const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8')
    return COMPILER_THREAD.test(name) ? readThreadUs(pid, thread) : 0
  } catch {
    // Threads that have nothing to compile end.
    return 0
  }
}

function readProcess(pid: number): ProcessReading {
  const cpuTicks = parseCpuTicks(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const residentKb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { cpuUs: (cpuTicks * 1_000_000) / TICKS_PER_SECOND, residentBytes: Number(residentKb ?? 0) * 1024 }
}

function listChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ').map(Number)
}
