/** Limits that the platform enforces and contracts publish: by themselves, because contracts carry no server code. */

/** Deeper than any shape of the contract; a body nested further is refused before anything recurses into it. */
export const bodyNestingMax = 32
/** More keys, or more commas, than this are refused before the parse: each costs it time, and memory long after. */
export const bodyValuesMax = 750_000
/** More than any shape of the contract has by far; unknown members count. */
export const objectMembersMax = 500
/**
 * Member names that differ by themselves or by those before them in their object. Bodies of one shape have some hundred,
 * and the parse of so many takes less than a tenth of a second.
 */
export const bodyNamesMax = 20_000
