/** `1 night`, `2 nights`. `many`: of a word that takes no s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
