/** Takes profiles of this process, for operators who look for a fault in it. */
export interface Profiling {
  /** Samples what the process does, for so many seconds: a file for Chrome's DevTools and other tools. */
  takeCpuProfile(seconds: number, actor: string): Promise<string>
  /** Everything that is in memory, secrets included. The process does nothing else meanwhile. */
  takeHeapSnapshot(actor: string): Promise<ArrayBuffer>
}
