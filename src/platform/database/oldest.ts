/** Oldest major version of PostgreSQL with all functions that the statements use. */
export const OLDEST_POSTGRES = 15
