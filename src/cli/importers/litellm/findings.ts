/** What became of one thing in the imported file. */
export interface Finding {
  /** Where it stands, such as `model_list[2].litellm_params.weight`. */
  readonly at: string
  readonly result: 'taken' | 'changed' | 'left out'
  readonly text: string
}

/** Collects what became of everything, so that nothing gets lost silently. */
export class Findings {
  readonly all: Finding[] = []

  taken(at: string, text: string): void {
    this.all.push({ at, result: 'taken', text })
  }

  /** Taken over, but not as it was. */
  changed(at: string, text: string): void {
    this.all.push({ at, result: 'changed', text })
  }

  leftOut(at: string, text: string): void {
    this.all.push({ at, result: 'left out', text })
  }
}
