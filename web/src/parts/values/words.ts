/** A member's name for reading: `lastSellableNight` as `last sellable night`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
