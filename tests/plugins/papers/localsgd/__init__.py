"""Local SGD (Stich 2019): a few of its statements, in our own words, as a paper outside the
package."""
