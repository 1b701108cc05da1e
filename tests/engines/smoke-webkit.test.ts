import { findEngines } from "./find-engines";
import { smokeTest } from "./smoke";

const [, webkit] = findEngines();
smokeTest(webkit);
