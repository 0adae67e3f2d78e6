/** Limits that the platform enforces and contracts publish: by themselves, because contracts carry no server code. */

/** Deeper than any shape of the contract; a body nested further is refused before anything recurses into it. */
export const bodyNestingMax = 32
/** More keys, or more commas, than this are refused before the parse: each costs it time, and memory long after. */
export const bodyValuesMax = 750_000
