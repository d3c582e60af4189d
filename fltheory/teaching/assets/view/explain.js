// What the page has from the ledger, and why things are so: the derivation with the numbers of the moment, then what is recorded.

import { unpacked } from "../core/inflate.js";
import { h } from "./dom.js";

const at = (name) => document.getElementById(name);
const { claims: ledger, ...others } = JSON.parse(unpacked(at("data").textContent));

export const extra = others;

export const recorded = () => Object.values(ledger).map(([, instance]) => instance).filter(Boolean);

export function explainer() {
  const explain = (claim) => {
    at("text").textContent = ledger[claim][0];
    at("claim-name").textContent = claim;
  };
  at("close").addEventListener("click", () => at("explanation").close());
  at("claim").addEventListener("change", (event) => explain(event.target.value));
  return (claims, derivation) => {
    const known = claims.filter((claim) => ledger[claim]);
    at("because").replaceChildren(...derivation.map((parts) => h("p", {}, parts)));
    at("claim").replaceChildren(...known.map((claim) => h("option", { value: claim }, claim)));
    explain(known[0]);
    at("explanation").showModal();
  };
}
