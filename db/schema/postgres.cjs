/** The tables in the dialect of PostgreSQL. CommonJS, because drizzle-kit requires one export per table. */
module.exports = require('./tables.ts').tablesOf(require('./columns.ts').postgres)
