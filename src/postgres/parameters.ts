/** The parameters of a statement that is put together. */
export class Parameters {
  readonly values: unknown[] = []

  /** Returns how the statement names the value. */
  add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }
}
