/** Collects the parameters of a statement that is built in parts. */
export class Parameters {
  readonly values: unknown[] = []

  /** Returns the placeholder for the value. */
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}
