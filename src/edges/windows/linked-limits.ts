import type {
  ConversationPin,
  ParentLink,
  SharedNote,
  SharedNotice,
} from '../../serve/ports/shared-limits.ts'

/** The part of a limits store that is in the parent's memory. */
export abstract class LinkedLimits implements Omit<ParentLink, 'nodeNumber' | 'findPin'> {
  protected readonly link: ParentLink

  constructor(link: ParentLink) {
    this.link = link
  }

  releaseNode(nodeId: string): Promise<number> {
    return this.link.releaseNode(nodeId)
  }

  generation(): Promise<string | null> {
    return this.link.generation()
  }

  beginGeneration(proposed: string): Promise<string> {
    return this.link.beginGeneration(proposed)
  }

  joinGeneration(generation: string): Promise<void> {
    return this.link.joinGeneration(generation)
  }

  listJoined(generation: string): Promise<readonly string[]> {
    return this.link.listJoined(generation)
  }

  listAwaited(): Promise<readonly string[] | null> {
    return this.link.listAwaited()
  }

  configurationVersion(): Promise<number | null> {
    return this.link.configurationVersion()
  }

  announceConfiguration(version: number): Promise<void> {
    return this.link.announceConfiguration(version)
  }

  savePin(pin: ConversationPin): Promise<void> {
    return this.link.savePin(pin)
  }

  saveNote(note: SharedNote): Promise<void> {
    return this.link.saveNote(note)
  }

  findNotes(accountId: string, names: readonly string[]): Promise<readonly (string | null)[]> {
    return this.link.findNotes(accountId, names)
  }

  publish(notice: SharedNotice, keptMs?: number): Promise<void> {
    return this.link.publish(notice, keptMs)
  }

  listKept(): Promise<readonly SharedNotice[]> {
    return this.link.listKept()
  }

  onNotice(listener: (notice: SharedNotice) => void): () => void {
    return this.link.onNotice(listener)
  }

  onConnected(listener: () => void): () => void {
    return this.link.onConnected(listener)
  }

  close(): Promise<void> {
    return this.link.close()
  }
}
