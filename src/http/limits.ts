/**
 * Limits that the platform enforces and contracts publish. A separate file: contracts contain no server code.
 */

/**
 * Deeper than any shape of the contract; a body nested further is refused before anything recurses into it.
 */
export const bodyNestingMax = 32
/**
 * Bodies with more keys, or more commas, than this are refused before the parse: each one costs parse time,
 * and memory long afterwards.
 */
export const bodyValuesMax = 750_000
/** Far more than any shape of the contract has; unknown members count. */
export const objectMembersMax = 500
/**
 * Member names that differ by themselves or by those before them in their object. Bodies of one shape have a
 * few hundred, and the parse of this many takes less than a tenth of a second.
 */
export const bodyNamesMax = 20_000
