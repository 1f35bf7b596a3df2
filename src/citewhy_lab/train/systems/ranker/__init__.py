"""The default ranker: linear weights, trees and calibration, learned from questions with known answers."""
