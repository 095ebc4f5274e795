// node report.test.mjs REPORT.html
//
// Reads the report's values back in a real browser and compares them with the data in the same file. The tests
// run in the order of the imports; the last ones ask whether the page stayed quiet through all of them.
import './format.test.mjs';
import './verdict.test.mjs';
import './table.test.mjs';
import './charts.test.mjs';
import './curves.test.mjs';
import './why.test.mjs';
import './selection.test.mjs';
import './download.test.mjs';
import './page.test.mjs';
